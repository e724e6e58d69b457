import { version } from '@cubejs-backend/schema-compiler/package.json';

/** Of the compiler of engines and builds: what one version has made of a model is for engines of that version alone. */
export const COMPILER_VERSION: string = version;
