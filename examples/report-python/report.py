"""Writes the last seven full days of every campaign into a CSV file: python3 report.py week.csv"""

import csv
import datetime
import gzip
import json
import os
import sys
import time
from zoneinfo import ZoneInfo

import requests
from requests_oauthlib import OAuth1Session

URL = os.environ["ADS_URL"]
DAYS = 7
ENTITIES_PER_JOB = 20
METRICS = ["impressions", "clicks", "billed_charge_local_micro"]

session = OAuth1Session(
    os.environ["CONSUMER_KEY"],
    client_secret=os.environ["CONSUMER_SECRET"],
    resource_owner_key=os.environ["ACCESS_TOKEN"],
    resource_owner_secret=os.environ["ACCESS_TOKEN_SECRET"],
)


def call(method, path, **params):
    """Sends a signed request and returns the reply; raises SystemExit with the error that the server names."""
    reply = session.request(method, URL + path, params=params)
    if reply.status_code == 429:
        time.sleep(max(1, int(reply.headers["x-rate-limit-reset"]) - time.time()))
        return call(method, path, **params)
    if not reply.ok:
        sys.exit(f"{method} {path}: {reply.status_code} {reply.text}")
    return reply.json()


def pages(path, **params):
    """Yields the items of a list, page by page."""
    cursor = None
    while True:
        page = call("GET", path, count=200, **params, **({"cursor": cursor} if cursor else {}))
        yield from page["data"]
        cursor = page["next_cursor"]
        if cursor is None:
            return


def midnights(timezone):
    """The first midnights of the range and after it, in the time zone of the account."""
    today = datetime.datetime.now(ZoneInfo(timezone)).replace(hour=0, minute=0, second=0, microsecond=0)
    return [today - datetime.timedelta(days=days) for days in range(DAYS, -1, -1)]


def run_job(account, ids, start, end):
    """Computes the numbers of some campaigns in a job, and returns the contents of its file."""
    jobs = f"/12/stats/jobs/accounts/{account}"
    job = call(
        "POST", jobs, entity="CAMPAIGN", entity_ids=",".join(ids), granularity="DAY", placement="ALL_ON_SERVICE",
        metric_groups="ENGAGEMENT,BILLING", start_time=start.isoformat(), end_time=end.isoformat(),
    )["data"]
    while job["status"] == "PROCESSING":
        time.sleep(1)
        [job] = call("GET", jobs, job_ids=job["id_str"])["data"]
    if job["status"] != "SUCCESS":
        sys.exit(f"the job {job['id_str']} ended with {job['status']}")
    # The file needs no signature: its address is the secret.
    return json.loads(gzip.decompress(requests.get(job["url"]).content))["data"]


def rows():
    for account in pages("/12/accounts"):
        times = midnights(account["timezone"])
        campaigns = {each["id"]: each for each in pages(f"/12/accounts/{account['id']}/campaigns")}
        ids = list(campaigns)
        for first in range(0, len(ids), ENTITIES_PER_JOB):
            for entity in run_job(account["id"], ids[first:first + ENTITIES_PER_JOB], times[0], times[-1]):
                campaign = campaigns[entity["id"]]
                metrics = entity["id_data"][0]["metrics"]
                for day in range(DAYS):
                    # A metric is null if it is zero on every day.
                    impressions, clicks, cost = [(metrics[name] or [0] * DAYS)[day] for name in METRICS]
                    date = times[day].date().isoformat()
                    yield [account["name"], campaign["name"], date, impressions, clicks, cost / 1e6, campaign["currency"]]


with open(sys.argv[1], "w", newline="", encoding="utf-8") as file:
    writer = csv.writer(file)
    writer.writerow(["account", "campaign", "day", "impressions", "clicks", "cost", "currency"])
    count = 0
    for row in rows():
        writer.writerow(row)
        count += 1
print(f"{count} rows in {sys.argv[1]}")
