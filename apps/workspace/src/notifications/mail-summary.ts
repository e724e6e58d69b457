import { html, type Html } from '@plinth/html';
import type { ComparedFigure } from './figures';
import { hasChanged } from './figures';
import type { MailSummary } from './run-summaries.service';

/** A mail is read at a glance. */
const MOST_SHOWN = 20;

/** The summary and the figures that it is made from, those that have changed first. */
export function summaryHtml(summary: MailSummary | null): Html[] {
  if (!summary) return [];
  const cell = 'padding:2px 12px 2px 0;text-align:left;font-size:13px';
  const rows = shownOf(summary).map(
    ({ label, value, previous }) =>
      html`<tr>
        <td style="${cell}">${label}</td>
        <td style="${cell}">${value}</td>
        <td style="${cell}">${previous ?? ''}</td>
      </tr>`,
  );
  const heads = html`<tr>
    <th style="${cell}">Figure</th>
    <th style="${cell}">Now</th>
    <th style="${cell}">Before</th>
  </tr>`;
  return [
    ...(summary.text === null ? [] : [html`${summary.text}`]),
    ...(summary.isByModel ? [html`<small>${BY_MODEL}</small>`] : []),
    ...(rows.length === 0
      ? []
      : [
          html`<table>
            ${heads}${rows}
          </table>`,
        ]),
  ];
}

export function summaryText(summary: MailSummary | null): string[] {
  if (!summary) return [];
  const lines = shownOf(summary).map(({ label, value, previous }) => `${label}: ${value}${wasIn(previous)}`);
  return [summary.text ?? '', summary.isByModel ? BY_MODEL : '', lines.join('\n')];
}

const BY_MODEL = 'Written by a language model from the figures below.';

const shownOf = ({ figures }: MailSummary): ComparedFigure[] =>
  [...figures].sort((left, right) => Number(hasChanged(right)) - Number(hasChanged(left))).slice(0, MOST_SHOWN);

const wasIn = (previous: string | null): string => (previous === null ? '' : ` (before: ${previous})`);
