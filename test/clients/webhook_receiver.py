"""A receiver of webhooks that knows nothing but Python's standard library.

Its arguments are the consumer secret and the secret of the webhook. It answers challenges, verifies both signatures of every
message, and says as JSON lines where it listens and what it was sent.
"""

import base64
import hashlib
import hmac
import http.server
import json
import sys
import threading
import urllib.parse

secret = sys.argv[1].encode()
key = {"whsec": b""}


def digest(with_key, data):
    return base64.b64encode(hmac.new(with_key, data, hashlib.sha256).digest()).decode()


def say(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def is_signed(self, data):
        given = self.headers.get("x-ext-webhooks-signature", "")
        return hmac.compare_digest(given, "sha256=" + digest(secret, data))

    def do_GET(self):
        query = urllib.parse.urlsplit(self.path).query
        token = urllib.parse.parse_qs(query)["crc_token"][0]
        say({"challenge": token, "signed": self.is_signed(query.encode())})
        self.answer(200, json.dumps({"response_token": "sha256=" + digest(secret, token.encode())}).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        text = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + body
        wanted = "v1," + digest(key["whsec"], text)
        standard = any(hmac.compare_digest(each, wanted) for each in self.headers["webhook-signature"].split(" "))
        say({"message": json.loads(body), "signed": self.is_signed(body), "standard": standard})
        self.answer(200)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
say({"port": server.server_address[1]})
threading.Thread(target=server.serve_forever, daemon=True).start()
# The secret of the webhook is known once the webhook is there.
for line in sys.stdin:
    key["whsec"] = base64.b64decode(line.strip().removeprefix("whsec_"))
server.shutdown()
