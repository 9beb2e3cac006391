import type { MediaCategory, MediaType } from '../services/media.ts';

/** The state of an upload; the last two are final. */
export type UploadState = 'uploading' | 'pending' | 'in_progress' | 'succeeded' | 'failed';

/** Uploaded media. Measured values are null until measured. Times are UTC texts. */
export interface Upload {
  /** Decimal text; the number in its media key. */
  readonly id: string;
  readonly user_id: string;
  readonly category: MediaCategory;
  readonly media_type: MediaType;
  readonly state: UploadState;
  /** Detected MIME type; the declared one until detection. */
  readonly mime: string;
  /** Size in bytes; the announced size until the upload is complete. */
  readonly bytes: number;
  readonly width: number | null;
  readonly height: number | null;
  /** Null for images and GIFs. */
  readonly duration_ms: number | null;
  readonly codec: string | null;
  /** MIME type of the first frame; null for images, and where it was not recorded. */
  readonly poster_mime: string | null;
  /** Unguessable name of the files in URLs. */
  readonly file_name: string;
  /** Users who may use it beside the uploader. */
  readonly additional_owners: readonly string[];
  /** Key of the object with the whole file; null until the upload has succeeded. */
  readonly object_key: string | null;
  /** Key of the object with the first frame; null where there is none. */
  readonly poster_key: string | null;
  /** Why processing failed. */
  readonly fault: string | null;
  /** Whether the caller specified the category. */
  readonly is_categorized: boolean;
  readonly created_at: string;
  /** When its state last changed. */
  readonly changed_at: string;
  /** When it is removed unless used; null once used. */
  readonly expires_at: string | null;
}

/** Settings for uploads. */
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
  /** The program that extracts the first frame of a video; empty when there is none. */
  readonly ffmpeg_program: string;
}

/** Changes to an upload. */
export type UploadChanges = Partial<Pick<Upload, 'state' | 'mime' | 'bytes' | 'width' | 'height' | 'fault'>> &
  Partial<Pick<Upload, 'duration_ms' | 'codec' | 'poster_mime' | 'changed_at' | 'expires_at'>> &
  Partial<Pick<Upload, 'object_key' | 'poster_key'>>;

/** A segment of an upload that is not assembled yet. */
export interface UploadSegment {
  readonly upload_id: string;
  /** Its number, as given by the client. */
  readonly segment_index: number;
  readonly object_key: string;
  readonly bytes: number;
  /** SHA-256 in hex digits; null where it was not computed. @source decision 789 */
  readonly sha256: string | null;
}
