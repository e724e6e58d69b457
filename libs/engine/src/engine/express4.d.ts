/** Express 4, which the engine's gateway is made for. What is used of it here is the same in both. */
declare module 'express4' {
  export * from 'express';
  export { default } from 'express';
}
