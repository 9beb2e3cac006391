/**
 * HTML that reports an event whenever a page with it is opened. It has no inline script, so that a content security policy
 * needs to allow nothing but the address of the script.
 * @param script its absolute URL
 */
export function embedCode(script: string, website_tag_id: string, event_id: string): string {
  return `<script async src="${script}" data-website-tag-id="${website_tag_id}" data-event-id="${event_id}"></script>`;
}
