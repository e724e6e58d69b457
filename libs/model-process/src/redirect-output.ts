// The output carries replies alone: what anybody prints in this process, the console included, is an error output. Imported
// before everything that may print.
Object.defineProperty(process, 'stdout', { value: process.stderr, writable: false, configurable: false });
