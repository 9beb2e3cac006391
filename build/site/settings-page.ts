import { type Html, html } from '../../src/base/html.ts';
import { prose } from '../../src/markup/prose.ts';
import { settingGroups, settingsMarkdown } from '../docs/settings.ts';
import { breakableCode } from './members.ts';
import { type LinkTo, type SitePage, slugOf } from './page.ts';

/** The page of all settings: each with what it accepts, its default and what it does. */
export function settingsPage(): SitePage {
  const groups = settingGroups();
  const content = (linkTo: LinkTo): Html => html`<h1>Settings</h1>
<p class="lead">Each can be a variable (<code>BARKER_PORT</code>), a member of a file, or a flag (<code>--port</code>).
<a href="${linkTo('operate/settings')}">How settings are read</a></p>
${groups.map(
  ([
    title,
    settings,
  ]) => html`<section><h2 id="${slugOf(title)}">${title} <a class="anchor" href="#${slugOf(title)}" aria-label="Link to this section">#</a></h2>
<dl class="members">${settings.map(
    ({
      name,
      value,
      byDefault,
      about,
    }) => html`<div id="${name}"><dt><code>${breakableCode(name)}</code> <span class="type">${prose(value)}</span></dt>
<dd>${prose(about)} <span class="fallback">Default: ${prose(byDefault)}</span></dd></div>
`,
  )}</dl></section>
`,
)}`;
  return {
    ...{ path: 'settings', title: 'Settings', content },
    headings: groups.map(([title]) => ({ id: slugOf(title), depth: 2, text: title })),
    records: [
      { at: 'settings', page: 'Settings', title: '', names: '', text: 'All settings with their defaults.' },
      ...groups.flatMap(([, settings]) =>
        settings.map(({ name, value, about }) => ({
          ...{
            at: `settings#${name}`,
            page: 'Settings',
            title: name,
            names: `${name} BARKER_${name.toUpperCase()}`,
            text: `${about} ${value}`,
          },
        })),
      ),
    ],
    markdown: `# Settings\n\n${settingsMarkdown()}`,
  };
}
