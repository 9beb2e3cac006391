import { shellQuote } from './shell-quote.ts';

/**
 * How to make clients and systems trust a certificate: pairs of the client and a command to paste.
 * @param ca absolute path
 */
export function trustInstructions(ca: string): readonly (readonly [what: string, line: string])[] {
  const file = shellQuote(ca);
  return [
    ['Node.js', `export NODE_EXTRA_CA_CERTS=${file}`],
    ['Python', `export REQUESTS_CA_BUNDLE=${file} SSL_CERT_FILE=${file}`],
    ['Ruby', `export SSL_CERT_FILE=${file}`],
    ['Perl', `export PERL_LWP_SSL_CA_FILE=${file}`],
    ['curl', `export CURL_CA_BUNDLE=${file}`],
    ['Debian', `sudo cp ${file} /usr/local/share/ca-certificates/barker.crt && sudo update-ca-certificates`],
    ['macOS', `sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ${file}`],
    ['Windows', `certutil -addstore -f Root ${file}`],
    ['Chromium', `certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n barker -i ${file}`],
    ['Firefox', 'Settings, Certificates, Authorities, Import'],
  ];
}
