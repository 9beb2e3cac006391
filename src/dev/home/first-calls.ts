/** The members of `dev.json`; some may be missing. */
export type DevMembers = Readonly<Record<string, string | undefined>>;

/**
 * The first call in several languages, each to be pasted into a shell. They need nothing but the language, so that every step
 * of a signature can be seen.
 * @param call its `method` and `url`, and the members of `dev.json`
 */
export function firstCalls(call: DevMembers): readonly (readonly [language: string, code: string])[] {
  return TEMPLATES.map(([language, trusted, code]) => [
    language,
    (call.tls_ca === undefined ? '' : `export ${trusted}='${call.tls_ca}'\n`) +
      code.replace(/\{\{(\w+)\}\}/g, (_, name: string) => call[name] ?? ''),
  ]);
}

/** Each with the variable that names the certificates that it trusts. */
const TEMPLATES: readonly (readonly [language: string, trusted: string, code: string])[] = [
  [
    'curl',
    'CURL_CA_BUNDLE',
    `method={{method}} url={{url}}
encode() { printf %s "$1" | sed 's/%/%25/g; s/&/%26/g; s/+/%2B/g; s,/,%2F,g; s/:/%3A/g; s/=/%3D/g'; }
oauth="oauth_consumer_key={{consumer_key}}&oauth_nonce=$(openssl rand -hex 16)&oauth_signature_method=HMAC-SHA1"
oauth="$oauth&oauth_timestamp=$(date +%s)&oauth_token={{access_token}}&oauth_version=1.0"
base="$method&$(encode "$url")&$(encode "$oauth")"
signature=$(printf %s "$base" | openssl dgst -sha1 -binary -hmac '{{consumer_secret}}&{{access_token_secret}}' | base64)
oauth="$oauth&oauth_signature=$(encode "$signature")"
curl -X $method "$url" -w '\\n' -H "Authorization: OAuth $(echo "$oauth" | sed 's/=/="/g; s/&/", /g')\\""
`,
  ],
  [
    'Node.js',
    'NODE_EXTRA_CA_CERTS',
    `node --input-type=module <<'END'
import { createHmac, randomUUID } from 'node:crypto';

const [method, url] = ['{{method}}', '{{url}}'];
const oauth = {
  oauth_consumer_key: '{{consumer_key}}',
  oauth_nonce: randomUUID(),
  oauth_signature_method: 'HMAC-SHA1',
  oauth_timestamp: Math.floor(Date.now() / 1000),
  oauth_token: '{{access_token}}',
  oauth_version: '1.0',
};
const parameters = Object.entries(oauth).map((pair) => pair.join('=')).join('&');
const base = [method, url, parameters].map(encodeURIComponent).join('&');
const key = '{{consumer_secret}}&{{access_token_secret}}';
oauth.oauth_signature = createHmac('sha1', key).update(base).digest('base64');
const pieces = Object.entries(oauth).map(([name, value]) => \`\${name}="\${encodeURIComponent(value)}"\`);
const reply = await fetch(url, { method, headers: { authorization: \`OAuth \${pieces.join(', ')}\` } });
console.log(await reply.text());
END
`,
  ],
  [
    'Python',
    'SSL_CERT_FILE',
    `python3 - <<'END'
import base64, hashlib, hmac, time, uuid
from urllib.parse import quote
from urllib.request import Request, urlopen

method, url = '{{method}}', '{{url}}'
oauth = {
    'oauth_consumer_key': '{{consumer_key}}',
    'oauth_nonce': uuid.uuid4().hex,
    'oauth_signature_method': 'HMAC-SHA1',
    'oauth_timestamp': str(int(time.time())),
    'oauth_token': '{{access_token}}',
    'oauth_version': '1.0',
}
parameters = '&'.join(name + '=' + value for name, value in oauth.items())
base = '&'.join(quote(part, safe='') for part in (method, url, parameters))
key = '{{consumer_secret}}&{{access_token_secret}}'
digest = hmac.new(key.encode(), base.encode(), hashlib.sha1).digest()
oauth['oauth_signature'] = base64.b64encode(digest).decode()
header = 'OAuth ' + ', '.join(name + '="' + quote(value, safe='') + '"' for name, value in oauth.items())
print(urlopen(Request(url, method=method, headers={'Authorization': header})).read().decode())
END
`,
  ],
  [
    'PHP',
    'SSL_CERT_FILE',
    `php <<'END'
<?php
[$method, $url] = ['{{method}}', '{{url}}'];
$oauth = [
    'oauth_consumer_key' => '{{consumer_key}}',
    'oauth_nonce' => bin2hex(random_bytes(16)),
    'oauth_signature_method' => 'HMAC-SHA1',
    'oauth_timestamp' => time(),
    'oauth_token' => '{{access_token}}',
    'oauth_version' => '1.0',
];
$base = implode('&', array_map('rawurlencode', [$method, $url, http_build_query($oauth)]));
$key = '{{consumer_secret}}&{{access_token_secret}}';
$oauth['oauth_signature'] = base64_encode(hash_hmac('sha1', $base, $key, true));
$pieces = array_map(fn ($name, $value) => $name . '="' . rawurlencode($value) . '"', array_keys($oauth), $oauth);
$http = ['method' => $method, 'header' => 'Authorization: OAuth ' . implode(', ', $pieces)];
echo file_get_contents($url, false, stream_context_create(['http' => $http])), "\\n";
END
`,
  ],
  [
    'Ruby',
    'SSL_CERT_FILE',
    `ruby <<'END'
require 'erb'
require 'net/http'
require 'openssl'
require 'securerandom'

method, url = '{{method}}', '{{url}}'
oauth = {
  'oauth_consumer_key' => '{{consumer_key}}',
  'oauth_nonce' => SecureRandom.hex(16),
  'oauth_signature_method' => 'HMAC-SHA1',
  'oauth_timestamp' => Time.now.to_i,
  'oauth_token' => '{{access_token}}',
  'oauth_version' => '1.0'
}
parameters = oauth.map { |pair| pair.join('=') }.join('&')
base = [method, url, parameters].map { |part| ERB::Util.url_encode(part) }.join('&')
key = '{{consumer_secret}}&{{access_token_secret}}'
oauth['oauth_signature'] = [OpenSSL::HMAC.digest('SHA1', key, base)].pack('m0')
header = 'OAuth ' + oauth.map { |name, value| %(#{name}="#{ERB::Util.url_encode(value)}") }.join(', ')
uri = URI(url)
http = Net::HTTP.new(uri.host, uri.port)
http.use_ssl = uri.scheme == 'https'
puts http.send_request(method, uri.path, nil, 'Authorization' => header).body
END
`,
  ],
];
