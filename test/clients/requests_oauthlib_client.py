"""A client over requests-oauthlib: reads calls as JSON lines, answers each with a JSON line.

The first line holds the keys. A call is {method, url, query, form, json}; an answer {status, text}.
"""

import json
import sys

from requests_oauthlib import OAuth1Session

keys = json.loads(sys.stdin.readline())
session = OAuth1Session(
    keys["consumer_key"],
    client_secret=keys["consumer_secret"],
    resource_owner_key=keys["access_token"],
    resource_owner_secret=keys["access_token_secret"],
)
# Settings of the machine, a proxy for one, must not come between.
session.trust_env = False
for line in sys.stdin:
    call = json.loads(line)
    reply = session.request(
        call["method"],
        call["url"],
        params=call.get("query"),
        data=call.get("form"),
        json=call.get("json"),
    )
    sys.stdout.write(json.dumps({"status": reply.status_code, "text": reply.content.decode("utf-8")}) + "\n")
    sys.stdout.flush()
