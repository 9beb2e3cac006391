# Signs requests with Net::OAuth, with one mistake each.
#
# Reads {keys, origin} as JSON, and writes a JSON array of {mistake, method, url, headers, body}. A mistake stands for the
# name that the server should give it.

use strict;
use warnings;
use JSON::PP;
use Net::OAuth;
use Net::OAuth::ProtectedResourceRequest;
use URI::Escape qw(uri_escape);

$Net::OAuth::PROTOCOL_VERSION = Net::OAuth::PROTOCOL_VERSION_1_0A;

my $told = decode_json(do { local $/; <STDIN> });
my $keys = $told->{keys};
my $path = '/12/accounts';
my %query = (q => 'a b/c!~', count => 10);
my @wrong;
my $nonce = 0;

# A request, signed; arguments take the place of what is right.
sub signed {
    my (%changes) = @_;
    my $request = Net::OAuth->request('protected resource')->new(
        consumer_key     => $keys->{consumer_key},
        consumer_secret  => $keys->{consumer_secret},
        token            => $keys->{access_token},
        token_secret     => $keys->{access_token_secret},
        request_url      => $told->{origin} . $path,
        request_method   => 'GET',
        signature_method => 'HMAC-SHA1',
        timestamp        => time,
        nonce            => 'perl-' . $nonce++,
        extra_params     => {%query},
        %changes,
    );
    $request->sign;
    return $request;
}

sub sent_url {
    return $told->{origin} . $path . '?' . join '&', map { $_ . '=' . uri_escape($query{$_}) } sort keys %query;
}

# What Net::OAuth says, without the parameters of the query, which it would put into the header.
sub header {
    my ($request) = @_;
    my $header = $request->to_authorization_header;
    for my $name (keys %query) { $header =~ s/,\s*\Q$name\E="[^"]*"//g; $header =~ s/\Q$name\E="[^"]*",\s*//g; }
    return $header;
}

sub add {
    my ($mistake, $authorization, $url, $method) = @_;
    my %headers = defined $authorization ? (authorization => $authorization) : ();
    push @wrong, {
        mistake => $mistake, method => $method // 'GET', url => $url // sent_url(), headers => \%headers, body => undef,
    };
}

add('wrong-scheme', header(signed(request_url => ($told->{origin} =~ s/^http:/https:/r) . $path)));
add('port-left-out', header(signed(request_url => ($told->{origin} =~ s/:\d+$//r) . $path)));
add('version-left-out', header(signed(request_url => $told->{origin} . '/accounts')));
add('query-left-out', header(signed(extra_params => {})));
add('method-of-another-request', header(signed(request_method => 'POST')));
add('secrets-swapped', header(signed(
    consumer_secret => $keys->{access_token_secret}, token_secret => $keys->{consumer_secret})));
add('space-in-secret', header(signed(token_secret => $keys->{access_token_secret} . "\n")));
add('other-signature-method', header(signed(signature_method => 'PLAINTEXT')));
add('timestamp-out-of-bounds', header(signed(timestamp => time - 600)));
add('consumer-key-sent-as-token', header(signed(token => $keys->{consumer_key})));

my $header = header(signed());
add('scheme-missing', $header =~ s/^OAuth\s+(?:realm="[^"]*",\s*)?//r);

$header = header(signed());
$header =~ s/oauth_signature="([^"]*)"/'oauth_signature="' . uri_escape($1) . '"'/e;
add('signature-encoded-twice', $header);

# MIME::Base64 ends its text with a line break unless it is told not to.
$header = header(signed());
$header =~ s/oauth_signature="([^"]*)"/oauth_signature="$1%0A"/;
add('signature-with-space', $header);

$header = header(signed());
$header =~ s/,\s*oauth_version="[^"]*"//;
add('protocol-parameters-not-sent', $header);

# In the query, where a + is a space: the first signature that has one.
my $request;
do { $request = signed() } until $request->signature =~ /\+/;
my $url = $request->to_url;
$url =~ s/oauth_signature=[^&]*/'oauth_signature=' . $request->signature/e;
add('signature-not-encoded', undef, $url);

print encode_json(\@wrong);
