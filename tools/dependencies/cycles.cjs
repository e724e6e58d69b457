// No file and no folder imports itself by way of others, be it for types alone: npm run cycles:check
const circular = (name, scope) => ({ name, scope, severity: 'error', from: {}, to: { circular: true } });

module.exports = {
  forbidden: [circular('no cycle of files', 'module'), circular('no cycle of folders', 'folder')],
  options: {
    tsPreCompilationDeps: true,
    includeOnly: '^(apps|libs)/',
    // Tests stand above what they test.
    exclude: '\\.spec\\.ts$|/testing/',
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
