import { html, type Html } from '@plinth/html';

/** A whole mail as HTML: styles stand at their elements, since mail programs drop all others. */
export const mailPage = (title: string, paragraphs: readonly Html[], footer: readonly Html[]): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
      </head>
      <body
        style="margin:0;padding:24px;background:#f4f5f7;color:#1b1f24;font:16px/1.5 system-ui,'Segoe UI',Helvetica,Arial,sans-serif"
      >
        <div style="max-width:960px;margin:0 auto;padding:24px;background:#ffffff;border-radius:6px">
          <h1 style="margin:0 0 16px;font-size:22px;line-height:1.25">${title}</h1>
          ${lines(paragraphs, 'margin:0 0 16px')}
        </div>
        <div style="max-width:960px;margin:16px auto 0;padding:0 24px;color:#5b6470;font-size:13px">
          ${lines(footer, 'margin:0 0 8px')}
        </div>
      </body>
    </html>`.text;

const lines = (paragraphs: readonly Html[], style: string): Html[] =>
  paragraphs.map((paragraph) => html`<p style="${style}">${paragraph}</p>`);

/** The same as plain text: a paragraph each, none empty. */
export const mailText = (title: string, paragraphs: readonly string[], footer: readonly string[]): string =>
  `${[title, ...paragraphs, ...(footer.length > 0 ? ['-- '] : []), ...footer].filter((each) => each !== '').join('\n\n')}\n`;
