export { JinjaEngine } from './jinja-engine';
export { TemplateError } from './template-error';
