import type { MediaCategory, MediaType } from '../services/media.ts';

/** How far an upload is; the last two are final. */
export type UploadState = 'uploading' | 'pending' | 'in_progress' | 'succeeded' | 'failed';

/** What is known of uploaded media. What was measured is null until it was. Times are UTC texts. */
export interface Upload {
  /** Decimal text; the number of its key. */
  readonly id: string;
  readonly user_id: string;
  readonly category: MediaCategory;
  readonly media_type: MediaType;
  readonly state: UploadState;
  /** What it is; until it was looked at, what it was declared to be. */
  readonly mime: string;
  /** How many bytes it has; until they are all there, how many were announced. */
  readonly bytes: number;
  readonly width: number | null;
  readonly height: number | null;
  /** Null for images and GIFs. */
  readonly duration_ms: number | null;
  readonly codec: string | null;
  /** The media type of its first frame; null for images, and where it was not noted. */
  readonly poster_mime: string | null;
  /** Names the files in addresses; nobody can guess it. */
  readonly file_name: string;
  /** Users who may use it beside the one who uploaded it. */
  readonly additional_owners: readonly string[];
  /** Why it failed. */
  readonly fault: string | null;
  /** Whether the caller named the category. */
  readonly is_categorized: boolean;
  readonly created_at: string;
  /** When its state last changed. */
  readonly changed_at: string;
  /** When it is removed unless it is used; null once it is. */
  readonly expires_at: string | null;
}

/** The settings of uploads. */
export interface UploadSettings {
  readonly media_segment_bytes_max: number;
  readonly media_image_bytes_max: number;
  readonly media_gif_bytes_max: number;
  readonly media_video_bytes_max: number;
  readonly media_amplify_bytes_max: number;
  readonly media_amplify_duration_max_s: number;
  readonly media_pixels_max: number;
  readonly media_gif_pixels_max: number;
  readonly media_processing_s: number;
  readonly media_unused_ttl_s: number;
  readonly media_amplify_unused_ttl_s: number;
  /** The program that takes the first frame of a video; empty when there is none. */
  readonly ffmpeg_program: string;
}

/** What happens to an upload. */
export type UploadChanges = Partial<Pick<Upload, 'state' | 'mime' | 'bytes' | 'width' | 'height' | 'fault'>> &
  Partial<Pick<Upload, 'duration_ms' | 'codec' | 'poster_mime' | 'changed_at' | 'expires_at'>>;

/** Uploaded media, as it is kept; the bytes are elsewhere. */
export interface Uploads {
  find(id: string): Promise<Upload | undefined>;
  /** Those of these ids that there are, in no order. */
  list(ids: readonly string[]): Promise<Upload[]>;
  findByFileName(fileName: string): Promise<Upload | undefined>;
  add(upload: Upload): Promise<void>;
  /** Changes one that is in a state; false when it is in another. */
  change(id: string, from: UploadState, changes: UploadChanges): Promise<boolean>;
  /** Says that media is used: it does not expire any more. What does not exist is passed over. */
  markUsed(ids: readonly string[]): Promise<void>;
  /** Removes one that has expired; false when it is kept, or expires later. */
  removeExpired(id: string, now: string): Promise<boolean>;
}
