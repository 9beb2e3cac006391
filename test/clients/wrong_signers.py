"""Signs requests with oauthlib, requests-oauthlib and tweepy, with one mistake each.

Reads {keys, origin} as JSON, and writes a JSON array of {mistake, method, url, headers, body}. A mistake stands for the name
that the server should give it.
"""

import json
import sys
import time
from urllib.parse import quote

import requests
import tweepy
from oauthlib.oauth1 import SIGNATURE_HMAC_SHA256, SIGNATURE_PLAINTEXT, Client
from requests_oauthlib import OAuth1

told = json.load(sys.stdin)
keys = told["keys"]
URL = told["origin"] + "/12/accounts?q=" + quote("a b/c!", safe="")
wrong = []


def own(**changes):
    arguments = {
        "client_key": keys["consumer_key"],
        "client_secret": keys["consumer_secret"],
        "resource_owner_key": keys["access_token"],
        "resource_owner_secret": keys["access_token_secret"],
    }
    arguments.update(changes)
    return arguments


def add(mistake, url, headers, method="GET", body=None):
    headers = {
        name if isinstance(name, str) else name.decode(): value if isinstance(value, str) else value.decode()
        for name, value in headers.items()
    }
    wrong.append({"mistake": mistake, "method": method, "url": url, "headers": headers, "body": body})


def with_oauthlib(mistake, sent_url=URL, signed_url=URL, method="GET", signed_method=None, **changes):
    _, headers, _ = Client(**own(**changes)).sign(signed_url, http_method=signed_method or method)
    add(mistake, sent_url, headers, method)


def with_requests(mistake, method, changed=None, **arguments):
    """Prepared by requests, signed by requests-oauthlib; `changed` happens to it afterwards."""
    prepared = requests.Request(method, URL, auth=OAuth1(**own()), **arguments).prepare()
    if changed:
        changed(prepared)
    body = prepared.body.decode() if isinstance(prepared.body, bytes) else prepared.body
    headers = {name: value for name, value in prepared.headers.items() if str(name).lower() != "content-length"}
    add(mistake, prepared.url, headers, method, body)


with_oauthlib("other-signature-method", signature_method=SIGNATURE_HMAC_SHA256)
with_oauthlib("other-signature-method", signature_method=SIGNATURE_PLAINTEXT)
with_oauthlib("secret-sent-as-consumer-key", client_key=keys["consumer_secret"], client_secret=keys["consumer_key"])
with_oauthlib(
    "secret-sent-as-token", resource_owner_key=keys["access_token_secret"], resource_owner_secret=keys["access_token"]
)
with_oauthlib("space-in-secret", client_secret=keys["consumer_secret"] + "\n")
with_oauthlib("secret-of-something-else", resource_owner_secret=keys["other_access_token_secret"])
with_oauthlib("method-of-another-request", method="POST", signed_method="GET")
with_oauthlib("double-encoding", signed_url=URL.replace("%", "%25"))
with_oauthlib("timestamp-out-of-bounds", timestamp=str(int(time.time()) + 3600))
with_oauthlib("timestamp-in-milliseconds", timestamp=str(int(time.time() * 1000)))
with_oauthlib("other-origin", signed_url=URL.replace(told["origin"], told["other_origin"]))


def as_form(prepared):
    prepared.headers["Content-Type"] = "application/x-www-form-urlencoded"


def as_json(prepared):
    prepared.headers["Content-Type"] = "application/json"


with_requests("form-left-out", "POST", changed=as_form, headers={"Content-Type": "text/plain"}, data=b"name=Spring%20sale")
with_requests("body-signed", "POST", changed=as_json, data={"name": "Spring sale"})

# What tweepy sends, without sending it.
handler = tweepy.OAuth1UserHandler(keys["consumer_key"], keys["consumer_secret"], keys["access_token"])
handler.access_token_secret = ""
prepared = requests.Request("GET", URL, auth=handler.apply_auth()).prepare()
add("token-secret-left-out", prepared.url, prepared.headers)

handler = tweepy.OAuth1UserHandler(keys["consumer_key"], keys["consumer_secret"])
prepared = requests.Request("GET", URL, auth=handler.apply_auth()).prepare()
add("token-missing", prepared.url, prepared.headers)

handler = tweepy.OAuth2BearerHandler(keys["access_token"])
prepared = requests.Request("GET", URL, auth=handler.apply_auth()).prepare()
add("bearer-instead-of-signature", prepared.url, prepared.headers)

json.dump(wrong, sys.stdout)
