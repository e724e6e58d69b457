const { relative, resolve } = require('node:path');

const root = resolve(__dirname, '../..');

/** Prints what was not tested, file by file, what ran per size and, last, the totals in one plain line. */
class SizeReporter {
  constructor(config) {
    this.config = config;
  }

  onRunComplete(_contexts, results) {
    const sizes = new Map();
    for (const file of results.testResults) {
      const name = file.displayName?.name ?? 'unknown';
      const size = sizes.get(name) ?? { passed: 0, failed: 0, skipped: 0 };
      size.passed += file.numPassingTests;
      size.failed += file.numFailingTests + (file.testExecError ? 1 : 0);
      size.skipped += file.numPendingTests + file.numTodoTests;
      sizes.set(name, size);
    }
    this.tellSkipped(results.testResults);
    const total = { passed: 0, failed: 0, skipped: 0 };
    for (const [name, size] of sizes) {
      for (const key of Object.keys(total)) total[key] += size[key];
      process.stdout.write(`${name}: ${describe(size)}\n`);
    }
    process.stdout.write(`${describe(total)}\n`);
  }

  /** Tests skip themselves where a machine has not what they need, which is to be seen. */
  tellSkipped(files) {
    const skipped = files.filter(({ numPendingTests, numTodoTests }) => numPendingTests + numTodoTests > 0);
    // Whoever asks for tests by their titles means to pass over the others.
    if (skipped.length === 0 || this.config.testNamePattern) return;
    const places = skipped.map((file) => `  ${relative(root, file.testFilePath)}: ${file.numPendingTests} tests\n`);
    process.stdout.write(
      `\nNOT TESTED here (what is missing is said above; tools/setup.sh installs what it can):\n${places.join('')}\n`,
    );
  }
}

const describe = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

module.exports = SizeReporter;
