# frozen_string_literal: true

require 'json'
require 'oauth'
require 'time'
require 'yaml'

# Signed requests to the advertising API.
class Ads
  Refused = Class.new(StandardError)

  def initialize(env = ENV)
    consumer = OAuth::Consumer.new(env.fetch('CONSUMER_KEY'), env.fetch('CONSUMER_SECRET'), site: env.fetch('ADS_URL'))
    @token = OAuth::AccessToken.new(consumer, env.fetch('ACCESS_TOKEN'), env.fetch('ACCESS_TOKEN_SECRET'))
  end

  def get(path) = data(@token.get(path))
  def post(path, params) = data(@token.post(path, params.transform_values(&:to_s)))
  def put(path, params) = data(@token.put(path, params.transform_values(&:to_s)))

  private

  def data(reply)
    raise Refused, "#{reply.code} #{reply.body}" unless reply.code == '200'

    JSON.parse(reply.body)['data']
  end
end

plan = YAML.safe_load_file(ARGV.fetch(0, 'campaign.yml'))
ads = Ads.new
account = "/12/accounts/#{ads.get('/12/accounts').first['id']}"
funding = ads.get("#{account}/funding_instruments").first['id']

begin
  campaign = ads.post("#{account}/campaigns",
                      plan['campaign'].merge('funding_instrument_id' => funding, 'entity_status' => 'PAUSED'))
  line_item = ads.post("#{account}/line_items",
                       plan['line_item'].merge('campaign_id' => campaign['id'], 'start_time' => Time.now.utc.iso8601))
  plan.fetch('targeting', []).each do |criterion|
    ads.post("#{account}/targeting_criteria", criterion.merge('line_item_id' => line_item['id']))
  end
  post = ads.post("#{account}/post", 'text' => plan['post'])
  ads.post("#{account}/promoted_posts", 'line_item_id' => line_item['id'], 'post_ids' => post['id_str'] || post['id'])
  campaign = ads.put("#{account}/campaigns/#{campaign['id']}", 'entity_status' => 'ACTIVE')
  puts "#{campaign['name']} (#{campaign['id']}): #{campaign['effective_status']}"
rescue Ads::Refused => e
  abort "#{campaign ? "The campaign #{campaign['id']} stays paused. " : ''}#{e.message}"
end
