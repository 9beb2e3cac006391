// The package has no types of its own; this is what the benchmark uses of it.
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
  }

  // biome-ignore lint/style/noDefaultExport: as the package has it
  export default Provider;
}
