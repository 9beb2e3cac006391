import { isAbsolute } from 'node:path';
import { amount, bool, type SettingOptions, text } from './kinds.ts';

const BUCKET = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*)\/?$/;

const place: SettingOptions<string> = {
  default: '',
  expected: 's3:// with the name of a bucket and, optionally, a prefix of its keys; or an absolute path of a folder',
  parse: (value) => (BUCKET.test(value) || isAbsolute(value) ? value : undefined),
};

/** Settings of the object store. */
export const objectSettings = {
  object_store: text(
    'Where objects are stored, such as uploaded media: a bucket of an S3-compatible service, as s3://bucket/prefix, or a local folder. When empty, the data folder.',
    place,
  ),
  object_store_endpoint: text('Base URL of the S3 service; when empty, the default endpoint of the region.', {
    default: '',
    expected: 'an http:// or https:// address without path, query or user',
    parse: (url) => (/^https?:\/\/[^/?#@\s]+\/?$/.test(url) && URL.canParse(url) ? url.replace(/\/$/, '') : undefined),
  }),
  object_store_region: text('The region of the bucket; services without regions accept any.', {
    default: 'us-east-1',
    expected: '1 to 40 of a-z, A-Z, 0-9 and -',
    parse: (region) => (/^[A-Za-z0-9-]{1,40}$/.test(region) ? region : undefined),
  }),
  object_store_key_id: text('The id of the access key. It must be allowed to get, put, delete and list objects.', {
    default: '',
    expected: 'printable characters without spaces',
    parse: (id) => (/^[!-~]+$/.test(id) ? id : undefined),
  }),
  object_store_secret: text('The secret of the access key.', {
    default: '',
    secret: true,
    expected: 'printable characters without spaces',
    parse: (secret) => (/^[!-~]+$/.test(secret) ? secret : undefined),
  }),
  object_store_path_style: bool(
    'Names the bucket in the path of URLs, as most services expect; when off, in the host name.',
    { default: true },
  ),
  object_store_timeout_s: amount(
    'Idle timeout of the object store, after which a request fails with 503 and a job is retried later.',
    10,
    'seconds',
    [1, 300],
  ),
  object_cache_bytes_max: amount(
    'Maximum size of the cache of recently served objects, in the data folder.',
    4_294_967_296,
    'bytes',
    [67_108_864, 1_099_511_627_776],
  ),
};

/** Parses the bucket of `object_store` and its prefix, with a trailing slash; undefined for a folder. */
export function bucketOf(place: string): { readonly bucket: string; readonly prefix: string } | undefined {
  const [, bucket, path = ''] = BUCKET.exec(place) ?? [];
  return bucket === undefined ? undefined : { bucket, prefix: path === '' ? '' : `${path.slice(1)}/` };
}
