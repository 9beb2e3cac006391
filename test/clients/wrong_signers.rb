# Signs requests with the gem oauth, with one mistake each.
#
# Reads {keys, origin} as JSON, and writes a JSON array of {mistake, method, url, headers, body}. A mistake stands for the
# name that the server should give it.

require "json"
require "net/http"
require "oauth"
require "oauth/client/net_http"

TOLD = JSON.parse($stdin.read)
KEYS = TOLD["keys"]
URL = "#{TOLD["origin"]}/12/accounts?q=a%20b%2Fc%21&count=10"
WRONG = []

# Signs a request as Net::HTTP would send it; what the block changes, it sends otherwise.
def add(mistake, method: "GET", url: URL, consumer: {}, token: {}, form: nil, body: nil, type: nil, options: {})
  uri = URI.parse(url)
  key, secret = { key: KEYS["consumer_key"], secret: KEYS["consumer_secret"] }.merge(consumer).values_at(:key, :secret)
  owner = { token: KEYS["access_token"], secret: KEYS["access_token_secret"] }.merge(token)
  request = Net::HTTP.const_get(method.capitalize).new(uri.request_uri)
  request.set_form_data(form) if form
  request.body = body if body
  request["Content-Type"] = type if type
  http = Net::HTTP.new(uri.host, uri.port)
  access = OAuth::AccessToken.new(nil, owner[:token], owner[:secret])
  request.oauth!(http, OAuth::Consumer.new(key, secret), access, options)
  yield request if block_given?
  headers = { "authorization" => request["Authorization"] }
  headers["content-type"] = request["Content-Type"] if request["Content-Type"]
  WRONG << { mistake: mistake, method: method, url: "#{TOLD["origin"]}#{request.path}", headers: headers, body: request.body }
end

# Replaces how the gem encodes text, for the time of a block.
def encoding(replacement)
  original = OAuth::Helper.method(:escape)
  OAuth::Helper.define_singleton_method(:escape) { |value| replacement.call(value.to_s) }
  OAuth::Helper.define_method(:escape) { |value| replacement.call(value.to_s) }
  yield
ensure
  OAuth::Helper.define_singleton_method(:escape, original)
  OAuth::Helper.define_method(:escape) { |value| original.call(value) }
end

add("consumer-secret-left-out", consumer: { secret: "" })
add("unknown-consumer-key", consumer: { key: "my-consumer-key" })
add("token-of-another-application",
    token: { token: KEYS["messages_access_token"], secret: KEYS["messages_access_token_secret"] })
add("token-sent-as-consumer-key",
    consumer: { key: KEYS["access_token"] }, token: { token: KEYS["consumer_key"] })
add("one-secret-twice", token: { secret: KEYS["consumer_secret"] })
add("key-instead-of-secret", consumer: { secret: KEYS["consumer_key"] })
add("body-hash-wrong", method: "POST", body: '{"name":"a"}', type: "application/json") do |request|
  request.body = '{"name": "a"}'
end
encoding(->(text) { URI.encode_www_form_component(text) }) { add("plus-for-space") }
encoding(->(text) { URI.encode_www_form_component(text).gsub("+", "%20").gsub(/%\h\h/, &:downcase) }) do
  add("escapes-in-lower-case")
end
add("trailing-slash", url: URL.sub("?", "/?")) { |request| request.path.sub!("/?", "?") }
add("query-left-out", url: URL.sub(/\?.*/, "")) { |request| request.path << "?count=10" }
add("other-version", options: { oauth_version: "1.0a" })

puts JSON.generate(WRONG)
