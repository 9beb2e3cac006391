# Creates a job for statistics and reads its file, as the Ruby SDK for advertising does it: everything in the query, the
# download by open-uri and GzipReader.
require 'json'
require 'oauth'
require 'open-uri'
require 'zlib'

told = JSON.parse($stdin.read)
keys = told['keys']
consumer = OAuth::Consumer.new(keys['consumer_key'], keys['consumer_secret'], site: told['origin'])
token = OAuth::AccessToken.new(consumer, keys['access_token'], keys['access_token_secret'])
path = "/12/stats/jobs/accounts/#{told['account']}"
post = Net::HTTP::Post.new("#{path}?#{URI.encode_www_form(told['params'])}")
consumer.sign!(post, token)
created = consumer.http.request(post).body
job = JSON.parse(created)['data'] or abort(created)
100.times do
  job = JSON.parse(token.get("#{path}?job_ids=#{job['id']}").body)['data'].first
  break if job['status'] != 'PROCESSING'

  sleep 0.2
end
raw = URI.parse(job['url']).open
document = Zlib::GzipReader.new(raw).read
puts JSON.generate({ url: job['url'], document: document })
