// Prints the addresses and keys of a development server as shell commands: source <(node environment.mjs [data/dev.json])
import { readFileSync } from 'node:fs';

const dev = JSON.parse(readFileSync(process.argv[2] ?? 'data/dev.json', 'utf8'));
const variables = {
  ADS_URL: dev.base_url,
  ADS_SANDBOX_URL: dev.sandbox_url,
  CONSUMER_KEY: dev.consumer_key,
  CONSUMER_SECRET: dev.consumer_secret,
  ACCESS_TOKEN: dev.access_token,
  ACCESS_TOKEN_SECRET: dev.access_token_secret,
};
for (const [name, value] of Object.entries(variables)) console.log(`export ${name}='${value}'`);
