import { readFile, stat } from 'node:fs/promises';
import type { Language } from '../../base/language.ts';
import { etagOf, type Routes } from '../routes.ts';
import type { BrandedService } from './document.ts';

/** The path of the icon of the service. */
export const FAVICON_PATH = '/pages/favicon';
/** The path of its logo; 404 when it has none. */
export const LOGO_PATH = '/pages/logo';

/** The maximum size of an image, which every page loads. */
const BYTES_MAX = 524_288;
const TYPES: Readonly<Record<string, string>> = { svg: 'image/svg+xml', png: 'image/png' };

/**
 * The policy of an image: an SVG that is opened as a document runs and loads nothing, just like one in a page.
 * @source decision 543
 */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

interface Picture {
  readonly type: string;
  readonly bytes: Buffer;
  readonly etag: string;
}

/** The name and images of the service, with the files loaded. */
export interface Branding extends BrandedService {
  readonly logo: Picture | undefined;
  readonly favicon: Picture;
}

/**
 * Reads the image files that the settings name; the default icon is neutral.
 * Rejects when a file cannot be used, naming the setting.
 */
export async function loadBranding(settings: {
  readonly service_name: string;
  readonly page_language: Language;
  readonly service_logo: string;
  readonly service_favicon: string;
}): Promise<Branding> {
  const logo = settings.service_logo === '' ? undefined : await pictureOf('service_logo', settings.service_logo);
  const own = await readFile(new URL('./favicon.svg', import.meta.url));
  const favicon =
    settings.service_favicon === ''
      ? picture('svg', own)
      : await pictureOf('service_favicon', settings.service_favicon);
  return { name: settings.service_name, language: settings.page_language, hasLogo: logo !== undefined, logo, favicon };
}

async function pictureOf(setting: string, path: string): Promise<Picture> {
  const unusable = (why: string): never => {
    throw new Error(`${setting}: ${path} ${why}`);
  };
  let bytes: Buffer;
  try {
    if ((await stat(path)).size > BYTES_MAX) unusable(`is larger than ${BYTES_MAX} bytes`);
    bytes = await readFile(path);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === undefined) throw error;
    return unusable(`cannot be read (${code})`);
  }
  const extension = /\.(\w+)$/.exec(path)![1]!.toLowerCase();
  // Browsers go by the content type, not by the file name, so the content must match.
  if ((await typeOf(bytes)) !== extension) unusable(`is not a picture of the type ${extension} with a size`);
  return picture(extension, bytes);
}

async function typeOf(bytes: Buffer): Promise<string | undefined> {
  // Loaded here, so that a service without images of its own starts faster.
  const { imageSize } = await import('image-size');
  try {
    return imageSize(bytes).type;
  } catch {
    return undefined;
  }
}

function picture(extension: string, bytes: Buffer): Picture {
  return { type: TYPES[extension]!, bytes, etag: etagOf(bytes) };
}

/** Serves the images of the service, the icon also at the path that browsers try by default. */
export function serveBranding(routes: Routes, { logo, favicon }: Branding): void {
  const served: readonly (readonly [path: string, picture: Picture | undefined])[] = [
    [FAVICON_PATH, favicon],
    ['/favicon.ico', favicon],
    [LOGO_PATH, logo],
  ];
  for (const [path, found] of served) {
    if (!found) continue;
    const headers = {
      'content-type': found.type,
      'cache-control': 'max-age=300',
      etag: found.etag,
      'content-security-policy': PICTURE_POLICY,
      'cross-origin-resource-policy': 'same-origin',
    };
    routes.get(path, () => ({ headers, body: found.bytes }));
  }
}
