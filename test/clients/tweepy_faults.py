"""Calls with tweepy over https; its arguments are the folder with dev.json and the case."""

import json
import sys
from urllib.parse import urlsplit

import tweepy

dev = json.load(open(f"{sys.argv[1]}/dev.json"))
auth = tweepy.OAuth1UserHandler(
    dev["consumer_key"], dev["consumer_secret"], dev["access_token"], dev["access_token_secret"]
)
options = (
    {"wait_on_rate_limit": True}
    if sys.argv[2] == "wait"
    else {"retry_count": 3, "retry_delay": 0, "retry_errors": {503}}
)
api = tweepy.API(auth, host=urlsplit(dev["base_url"]).netloc, **options)
print(api.verify_credentials().screen_name)
