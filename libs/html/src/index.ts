export { Html, html } from './html';
