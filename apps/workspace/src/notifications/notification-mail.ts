import { html } from '@plinth/html';
import { mailPage, mailText, type Mail } from '@plinth/mail';
import { summaryHtml, summaryText } from './mail-summary';
import type { StoredPicture } from './deliveries.repository';

export interface MailContents {
  to: string;
  messageId: string;
  picture: StoredPicture;
  /** When the run was due, in words. */
  when: string;
  /** The schedule in words. */
  schedule: string;
  dashboardUrl: string;
  /** Undefined for a preview, from which nobody unsubscribes. */
  unsubscribeUrl: string | undefined;
}

/** A mail with a dashboard. It names nobody but its recipient. */
export function notificationMail(contents: MailContents): Mail {
  const { to, messageId, picture, when, schedule, dashboardUrl, unsubscribeUrl } = contents;
  const { title, contentType, content, summary } = picture;
  const isShown = contentType.startsWith('image/');
  const file = { filename: `dashboard.${isShown ? 'png' : 'pdf'}`, contentType, content };
  const inside = isShown
    ? html`<a href="${dashboardUrl}"><img src="cid:dashboard" alt="${title}" style="width:100%;border:0" /></a>`
    : html`The dashboard is attached as a PDF file.`;
  const why =
    unsubscribeUrl === undefined
      ? 'You get this mail because you asked for a preview of it.'
      : `You get this mail because an administrator has put you on the list of its recipients (${schedule}).`;
  const page = mailPage(
    title,
    [html`As of ${when}.`, ...summaryHtml(summary), inside, html`<a href="${dashboardUrl}">Open the dashboard</a>`],
    [html`${why}`, ...(unsubscribeUrl === undefined ? [] : [html`<a href="${unsubscribeUrl}">Unsubscribe</a>`])],
  );
  const text = mailText(
    title,
    [`As of ${when}. The dashboard is attached.`, ...summaryText(summary), `Open the dashboard: ${dashboardUrl}`],
    [why, unsubscribeUrl === undefined ? '' : `Unsubscribe: ${unsubscribeUrl}`],
  );
  const attachments = isShown ? [{ ...file, cid: 'dashboard' }, file] : [file];
  return {
    to,
    messageId,
    subject: title,
    html: page,
    text,
    attachments,
    ...(unsubscribeUrl !== undefined && { unsubscribeUrl }),
  };
}
