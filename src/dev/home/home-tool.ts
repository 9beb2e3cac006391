import type { Html } from '../../base/html.ts';
import { texts } from '../../texts/texts.ts';
import type { ClockTool } from '../clock/clock-tool.ts';
import { readDevFile } from '../dev-folder.ts';
import { type DevCall, type DevReply, type DevRequest, devCall } from '../surface/call.ts';
import { formCall, type RefusedForm, type ToolPages } from '../surface/tool-pages.ts';
import { type DevMembers, type HomeContent, homeContent } from './home-page.ts';
import { WatchedAd, type WatchedAdOptions } from './watched-ad.ts';

/** The dependencies of the home page. */
export interface HomeOptions extends WatchedAdOptions, Pick<HomeContent, 'originOf'> {
  readonly pages: ToolPages;
  readonly clock: ClockTool;
  readonly serviceName: string;
  /** List items of the last requests; undefined where none are kept. */
  readonly lastRequests: (() => Promise<readonly Html[]>) | undefined;
}

/** How far a press of the button moves the clock. */
const STEP = 'PT6H';

/** The calls of the home page. */
export function homeCalls(options: HomeOptions): readonly DevCall[] {
  const { pages, clock, dataFolder, originOf, lastRequests, serviceName } = options;
  const ad = new WatchedAd(options);
  const show = async ({ listener }: Pick<DevRequest, 'listener'>, refused?: RefusedForm): Promise<DevReply> => {
    const file = { ...readDevFile(dataFolder) } as DevMembers;
    const requests = await lastRequests?.();
    const { environment } = listener;
    const content = homeContent({ environment, originOf, file, dataFolder, requests, ad: await ad.show(), refused });
    const title = texts.tools.home.title(serviceName);
    return pages.render('home', {
      status: refused?.error.status,
      title,
      content,
      width: 'full',
      islands: ['copy', 'home'],
    });
  };
  return [
    devCall('GET /_dev/home', 'The page at /: a first call, logins and keys, and an ad to watch.', (request) =>
      show(request),
    ),
    formCall(
      'home',
      async (form) => {
        if (form.get('act') === 'create') await ad.create(texts.tools.home.post);
        else await clock.pass(STEP);
        return '/#ad';
      },
      (refused, request) => show(request, refused),
    ),
  ];
}
