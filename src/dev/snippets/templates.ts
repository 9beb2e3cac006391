/** A language, the variable that names the certificates that it trusts, and the template of a call. */
export interface Template {
  readonly language: string;
  readonly trusted: string;
  /** `{{name}}` stands for a value; a line that begins with `[flag]` or `[!flag]` is only in calls with or without it. */
  readonly code: string;
}

/**
 * A signed call to be pasted into a shell. It needs nothing but the language, so that every step of a signature can be seen.
 *
 * Flags: `query`, `form`, `json`: the call has them; `values`: it has a query or a form; `token`: a user signs; `protocol`: it
 * has further protocol parameters; `plain`: neither these nor values, so that nothing has to be encoded or sorted.
 */
export const TEMPLATES: readonly Template[] = [
  {
    language: 'curl',
    trusted: 'CURL_CA_BUNDLE',
    code: `method={{method}} url={{url}}
encode() { printf %s "$1" | sed 's/%/%25/g; s/&/%26/g; s/+/%2B/g; s,/,%2F,g; s/:/%3A/g; s/=/%3D/g'; }
oauth="{{oauth}}"
oauth="$oauth&{{moreOauth}}"
base="$method&$(encode "$url")&$(encode "{{parameters}}")"
signature=$(printf %s "$base" | openssl dgst -sha1 -binary -hmac '{{consumer_secret}}&{{access_token_secret}}' | base64)
oauth="$oauth&oauth_signature=$(encode "$signature")"
curl -X $method "$url{{search}}" -w '\\n' -H "Authorization: OAuth $(echo "$oauth" | sed 's/=/="/g; s/&/", /g')\\""{{data}}
`,
  },
  {
    language: 'Node.js',
    trusted: 'NODE_EXTRA_CA_CERTS',
    code: `node --input-type=module <<'END'
import { createHmac, randomUUID } from 'node:crypto';

const [method, url] = ['{{method}}', '{{url}}'];
[values]const values = {{values}};
[json]const body = String.raw\`{{json}}\`;
const oauth = {
[protocol]{{protocol}}
  oauth_consumer_key: '{{consumer_key}}',
  oauth_nonce: randomUUID(),
  oauth_signature_method: 'HMAC-SHA1',
  oauth_timestamp: Math.floor(Date.now() / 1000),
[token]  oauth_token: '{{access_token}}',
  oauth_version: '1.0',
};
[plain]const parameters = Object.entries(oauth).map((pair) => pair.join('=')).join('&');
[!plain]const hex = (sign) => \`%\${sign.charCodeAt(0).toString(16).toUpperCase()}\`;
[!plain]const encode = (text) => encodeURIComponent(text).replace(/[!'()*]/g, hex);
[!plain]const encoded = (pairs) =>
[!plain]  pairs
[!plain]    .map((pair) => pair.map(encode))
[!plain]    .sort(([one, a], [other, b]) => (one < other || (one === other && a < b) ? -1 : 1))
[!plain]    .map((pair) => pair.join('='))
[!plain]    .join('&');
[values]const parameters = encoded([...Object.entries(oauth), ...values]);
[protocol][!values]const parameters = encoded(Object.entries(oauth));
const base = [method, url, parameters].map(encodeURIComponent).join('&');
const key = '{{consumer_secret}}&{{access_token_secret}}';
oauth.oauth_signature = createHmac('sha1', key).update(base).digest('base64');
const pieces = Object.entries(oauth).map(([name, value]) => \`\${name}="\${encodeURIComponent(value)}"\`);
const headers = { authorization: \`OAuth \${pieces.join(', ')}\` };
[json]headers['content-type'] = 'application/json';
[!values][!json]const reply = await fetch(url, { method, headers });
[!values][json]const reply = await fetch(url, { method, headers, body });
[query][!json]const reply = await fetch(\`\${url}?\${encoded(values)}\`, { method, headers });
[query][json]const reply = await fetch(\`\${url}?\${encoded(values)}\`, { method, headers, body });
[form]const reply = await fetch(url, { method, headers, body: new URLSearchParams(values) });
console.log(await reply.text());
END
`,
  },
  {
    language: 'Python',
    trusted: 'SSL_CERT_FILE',
    code: `python3 - <<'END'
import base64, hashlib, hmac, time, uuid
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

method, url = '{{method}}', '{{url}}'
[values]values = {{values}}
[json]body = r'''{{json}}'''
oauth = {
[protocol]{{protocol}}
    'oauth_consumer_key': '{{consumer_key}}',
    'oauth_nonce': uuid.uuid4().hex,
    'oauth_signature_method': 'HMAC-SHA1',
    'oauth_timestamp': str(int(time.time())),
[token]    'oauth_token': '{{access_token}}',
    'oauth_version': '1.0',
}
[!plain]def encoded(pairs):
[!plain]    pairs = [[quote(text, safe='') for text in pair] for pair in pairs]
[!plain]    return '&'.join('='.join(pair) for pair in sorted(pairs))
[plain]parameters = '&'.join(name + '=' + value for name, value in oauth.items())
[values]parameters = encoded([*oauth.items(), *values])
[protocol][!values]parameters = encoded(oauth.items())
base = '&'.join(quote(part, safe='') for part in (method, url, parameters))
key = '{{consumer_secret}}&{{access_token_secret}}'
digest = hmac.new(key.encode(), base.encode(), hashlib.sha1).digest()
oauth['oauth_signature'] = base64.b64encode(digest).decode()
header = 'OAuth ' + ', '.join(name + '="' + quote(value, safe='') + '"' for name, value in oauth.items())
headers = {'Authorization': header}
[json]headers['Content-Type'] = 'application/json'
[!values][!json]request = Request(url, method=method, headers=headers)
[!values][json]request = Request(url, body.encode(), method=method, headers=headers)
[query][!json]request = Request(url + '?' + encoded(values), method=method, headers=headers)
[query][json]request = Request(url + '?' + encoded(values), body.encode(), method=method, headers=headers)
[form]request = Request(url, encoded(values).encode(), method=method, headers=headers)
try:
    reply = urlopen(request)
except HTTPError as refused:
    reply = refused
print(reply.read().decode())
END
`,
  },
  {
    language: 'PHP',
    trusted: 'SSL_CERT_FILE',
    code: `php <<'END'
<?php
[$method, $url] = ['{{method}}', '{{url}}'];
[values]$values = {{values}};
[json]$body = <<<'JSON'
[json]{{json}}
[json]JSON;
$oauth = [
[protocol]{{protocol}}
    'oauth_consumer_key' => '{{consumer_key}}',
    'oauth_nonce' => bin2hex(random_bytes(16)),
    'oauth_signature_method' => 'HMAC-SHA1',
    'oauth_timestamp' => time(),
[token]    'oauth_token' => '{{access_token}}',
    'oauth_version' => '1.0',
];
[!plain]function encoded($pairs) {
[!plain]    $pairs = array_map(fn ($pair) => array_map('rawurlencode', $pair), $pairs);
[!plain]    usort($pairs, fn ($one, $other) => strcmp($one[0], $other[0]) ?: strcmp($one[1], $other[1]));
[!plain]    return implode('&', array_map(fn ($pair) => implode('=', $pair), $pairs));
[!plain]}
[!plain]$all = array_map(null, array_keys($oauth), array_values($oauth));
[plain]$parameters = http_build_query($oauth);
[values]$parameters = encoded(array_merge($all, $values));
[protocol][!values]$parameters = encoded($all);
$base = implode('&', array_map('rawurlencode', [$method, $url, $parameters]));
$key = '{{consumer_secret}}&{{access_token_secret}}';
$oauth['oauth_signature'] = base64_encode(hash_hmac('sha1', $base, $key, true));
$pieces = array_map(fn ($name, $value) => $name . '="' . rawurlencode($value) . '"', array_keys($oauth), $oauth);
$header = ['Authorization: OAuth ' . implode(', ', $pieces)];
[json]$header[] = 'Content-Type: application/json';
[form]$header[] = 'Content-Type: application/x-www-form-urlencoded';
[query]$url .= '?' . encoded($values);
$http = ['method' => $method, 'header' => $header, 'ignore_errors' => true];
[json]$http['content'] = $body;
[form]$http['content'] = encoded($values);
echo file_get_contents($url, false, stream_context_create(['http' => $http])), "\\n";
END
`,
  },
  {
    language: 'Ruby',
    trusted: 'SSL_CERT_FILE',
    code: `ruby -Ku <<'END'
require 'erb'
require 'net/http'
require 'openssl'
require 'securerandom'

method, url = '{{method}}', '{{url}}'
[values]values = {{values}}
[json]body = <<'JSON'
[json]{{json}}
[json]JSON
oauth = {
[protocol]{{protocol}}
  'oauth_consumer_key' => '{{consumer_key}}',
  'oauth_nonce' => SecureRandom.hex(16),
  'oauth_signature_method' => 'HMAC-SHA1',
  'oauth_timestamp' => Time.now.to_i,
[token]  'oauth_token' => '{{access_token}}',
  'oauth_version' => '1.0'
}
[!plain]encoded = lambda do |pairs|
[!plain]  pairs = pairs.map { |pair| pair.map { |text| ERB::Util.url_encode(text) } }
[!plain]  pairs.sort.map { |pair| pair.join('=') }.join('&')
[!plain]end
[plain]parameters = oauth.map { |pair| pair.join('=') }.join('&')
[values]parameters = encoded.(oauth.to_a + values)
[protocol][!values]parameters = encoded.(oauth.to_a)
base = [method, url, parameters].map { |part| ERB::Util.url_encode(part) }.join('&')
key = '{{consumer_secret}}&{{access_token_secret}}'
oauth['oauth_signature'] = [OpenSSL::HMAC.digest('SHA1', key, base)].pack('m0')
header = 'OAuth ' + oauth.map { |name, value| %(#{name}="#{ERB::Util.url_encode(value)}") }.join(', ')
headers = { 'Authorization' => header }
[json]headers['Content-Type'] = 'application/json'
[form]headers['Content-Type'] = 'application/x-www-form-urlencoded'
uri = URI(url)
http = Net::HTTP.new(uri.host, uri.port)
http.use_ssl = uri.scheme == 'https'
[!values][!json]puts http.send_request(method, uri.path, nil, headers).body
[!values][json]puts http.send_request(method, uri.path, body, headers).body
[query][!json]puts http.send_request(method, uri.path + '?' + encoded.(values), nil, headers).body
[query][json]puts http.send_request(method, uri.path + '?' + encoded.(values), body, headers).body
[form]puts http.send_request(method, uri.path, encoded.(values), headers).body
END
`,
  },
];

const bare = (who: string) => [
  { language: 'curl', trusted: 'CURL_CA_BUNDLE', code: `curl -X {{method}} '{{url}}{{search}}' ${who}{{data}}\n` },
];
const BEARER = bare('-H "Authorization: Bearer $TOKEN"');

/** Calls that are not signed, by their credential. */
export const UNSIGNED: Readonly<Record<string, readonly Template[]>> = {
  basic: bare("-u '{{consumer_key}}:{{consumer_secret}}'"),
  bearer: BEARER,
  publisher: BEARER,
};
