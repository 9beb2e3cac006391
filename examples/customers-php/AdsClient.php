<?php

declare(strict_types=1);

/** Sends requests that are signed with OAuth 1.0a. */
final class AdsClient
{
    public function __construct(
        private readonly string $url,
        private readonly string $consumerKey,
        private readonly string $consumerSecret,
        private readonly string $token,
        private readonly string $tokenSecret,
    ) {
    }

    public static function fromEnvironment(): self
    {
        $names = ['ADS_URL', 'CONSUMER_KEY', 'CONSUMER_SECRET', 'ACCESS_TOKEN', 'ACCESS_TOKEN_SECRET'];
        $values = array_map(getenv(...), $names);
        if (in_array(false, $values, true)) {
            throw new RuntimeException('set ' . implode(', ', $names));
        }
        return new self(...$values);
    }

    /**
     * @param array<string, string> $query
     * @param mixed $json a body, which the signature does not cover
     * @return mixed the member `data` of the reply
     */
    public function call(string $method, string $path, array $query = [], mixed $json = null): mixed
    {
        $headers = ['authorization: ' . $this->authorization($method, $this->url . $path, $query)];
        if ($json !== null) {
            $headers[] = 'content-type: application/json';
        }
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => $headers,
            'content' => $json === null ? '' : json_encode($json, JSON_THROW_ON_ERROR),
            'ignore_errors' => true,
        ]]);
        $target = $this->url . $path . ($query === [] ? '' : '?' . http_build_query($query, '', '&', PHP_QUERY_RFC3986));
        $text = file_get_contents($target, false, $context);
        preg_match('{HTTP/\S+ (\d+)}', $http_response_header[0] ?? '', $status);
        if ($text === false || (int) ($status[1] ?? 0) !== 200) {
            throw new RuntimeException("$method $path: " . ($status[1] ?? 'no reply') . " $text");
        }
        return json_decode($text, true, 512, JSON_THROW_ON_ERROR)['data'];
    }

    /** @param array<string, string> $query */
    private function authorization(string $method, string $url, array $query): string
    {
        $oauth = [
            'oauth_consumer_key' => $this->consumerKey,
            'oauth_nonce' => bin2hex(random_bytes(16)),
            'oauth_signature_method' => 'HMAC-SHA1',
            'oauth_timestamp' => (string) time(),
            'oauth_token' => $this->token,
            'oauth_version' => '1.0',
        ];
        $pairs = [];
        foreach ($query + $oauth as $name => $value) {
            $pairs[rawurlencode($name)] = rawurlencode($value);
        }
        ksort($pairs, SORT_STRING);
        $parameters = implode('&', array_map(fn ($name, $value) => "$name=$value", array_keys($pairs), $pairs));
        $base = implode('&', array_map(rawurlencode(...), [$method, $url, $parameters]));
        $key = rawurlencode($this->consumerSecret) . '&' . rawurlencode($this->tokenSecret);
        $oauth['oauth_signature'] = base64_encode(hash_hmac('sha1', $base, $key, true));
        $header = array_map(fn ($name, $value) => $name . '="' . rawurlencode($value) . '"', array_keys($oauth), $oauth);
        return 'OAuth ' . implode(', ', $header);
    }
}
