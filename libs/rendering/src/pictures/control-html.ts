import { escaped } from '../drawing/svg';
import type { ControlField, ControlOption, ControlWidget, DayField } from '../scene';

/** The form of the page that fields go with, wherever they stand. */
const FORM = ' form="plinth-controls"';

/** A control as a field of the page's form, or as what is chosen where it cannot be changed. */
export function controlHtml(widget: ControlWidget): string {
  return `<section class="plinth-card plinth-control">${insideOf(widget)}</section>`;
}

function insideOf({ label, value, field }: ControlWidget): string {
  switch (field?.kind) {
    case undefined:
      return `<span>${escaped(label)}</span> <strong>${escaped(value)}</strong>`;
    case 'text':
      return labelled(label, `<input${FORM}${textAttributes(field)} maxlength="500">`);
    case 'choice':
      return labelled(
        label,
        `<select${FORM} name="${escaped(field.name)}">${field.options.map(optionHtml).join('')}</select>`,
      );
    case 'choices':
      return choicesHtml(label, value, field);
    case 'days':
      return group(label, `<div class="plinth-days">${[field.from, field.to].map(dayHtml).join('')}</div>`);
  }
}

const labelled = (label: string, input: string): string => `<label><span>${escaped(label)}</span>${input}</label>`;

const group = (label: string, inside: string): string =>
  `<fieldset><legend>${escaped(label)}</legend>${inside}</fieldset>`;

const textAttributes = ({ name, value, hint }: Extract<ControlField, { kind: 'text' }>): string =>
  ` name="${escaped(name)}" value="${escaped(value)}"${hint ? ` placeholder="${escaped(hint)}"` : ''}`;

/** A list that opens, which works by keyboard and by touch without a script. */
function choicesHtml(
  label: string,
  value: string,
  { name, options }: { name: string; options: readonly ControlOption[] },
) {
  const boxes = options.map((option) => boxHtml(name, option)).join('');
  return (
    `<details><summary><span>${escaped(label)}</span> <strong>${escaped(value)}</strong></summary>` +
    `<div class="plinth-choices">${group(label, boxes)}</div></details>`
  );
}

const boxHtml = (name: string, { value, label, chosen }: ControlOption): string =>
  `<label><input type="checkbox"${FORM} name="${escaped(name)}" value="${escaped(value)}"${chosen ? ' checked' : ''}> <span>${escaped(label)}</span></label>`;

const dayHtml = ({ name, label, value }: DayField): string =>
  labelled(label, `<input type="date"${FORM} name="${escaped(name)}" value="${escaped(value)}">`);

const optionHtml = ({ value, label, chosen }: ControlOption): string =>
  `<option value="${escaped(value)}"${chosen ? ' selected' : ''}>${escaped(label)}</option>`;
