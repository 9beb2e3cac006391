"""Creates a job for statistics and reads its file, as the Python SDK for advertising does it: everything in the query, the
download signed and by the path alone, unzipped only when its type is application/gzip."""

import json
import sys
import time
import zlib
from urllib.parse import urlparse

from requests_oauthlib import OAuth1Session

told = json.load(sys.stdin)
keys = told["keys"]
session = OAuth1Session(
    keys["consumer_key"], keys["consumer_secret"], keys["access_token"], keys["access_token_secret"]
)
path = f"{told['origin']}/12/stats/jobs/accounts/{told['account']}"
job = session.post(path, params=told["params"]).json()["data"]
for _ in range(100):
    (job,) = session.get(path, params={"job_ids": job["id"]}).json()["data"]
    if job["status"] != "PROCESSING":
        break
    time.sleep(0.2)
response = session.get(told["origin"] + urlparse(job["url"]).path)
body = response.content
if response.headers["content-type"] == "application/gzip":
    body = zlib.decompress(body, 16 + zlib.MAX_WBITS)
print(json.dumps({"url": job["url"], "document": body.decode()}))
