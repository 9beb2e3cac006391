<?php

declare(strict_types=1);

require __DIR__ . '/AdsClient.php';

const PEOPLE_PER_REQUEST = 2500;

/** @return Generator<string> the hashed addresses of the column `email` */
function hashedAddresses(string $path): Generator
{
    $file = new SplFileObject($path);
    $file->setFlags(SplFileObject::READ_CSV | SplFileObject::SKIP_EMPTY | SplFileObject::READ_AHEAD);
    $column = false;
    foreach ($file as $cells) {
        if ($column === false) {
            $column = array_search('email', array_map(strtolower(...), array_map(trim(...), $cells)), true);
            if ($column === false) {
                throw new RuntimeException("$path has no column \"email\"");
            }
            continue;
        }
        $address = strtolower(trim($cells[$column] ?? ''));
        if (filter_var($address, FILTER_VALIDATE_EMAIL) !== false) {
            yield hash('sha256', $address);
        }
    }
}

[, $path, $name] = $argv + [1 => 'customers.csv', 2 => 'Customers'];
try {
    $ads = AdsClient::fromEnvironment();
    $account = $ads->call('GET', '/12/accounts')[0]['id'];
    $audiences = "/12/accounts/$account/custom_audiences";
    // The list of a name is continued, so that a run can be repeated.
    $known = array_filter($ads->call('GET', $audiences, ['q' => $name]), fn ($each) => $each['name'] === $name);
    $audience = reset($known) ?: $ads->call('POST', $audiences, ['name' => $name]);

    $people = array_map(fn ($hash) => ['email' => [$hash]], iterator_to_array(hashedAddresses($path), false));
    $sent = 0;
    foreach (array_chunk($people, PEOPLE_PER_REQUEST) as $users) {
        $update = [['operation_type' => 'Update', 'params' => ['users' => $users]]];
        $reply = $ads->call('POST', "$audiences/{$audience['id']}/users", [], $update);
        $sent += $reply['success_count'];
    }
    echo "$sent people sent to the audience {$audience['id']}\n";
} catch (RuntimeException $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(1);
}
