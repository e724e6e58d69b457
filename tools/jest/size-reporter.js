/** Prints what ran per size and, last, the totals in one plain line. */
class SizeReporter {
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
    const total = { passed: 0, failed: 0, skipped: 0 };
    for (const [name, size] of sizes) {
      for (const key of Object.keys(total)) total[key] += size[key];
      process.stdout.write(`${name}: ${describe(size)}\n`);
    }
    process.stdout.write(`${describe(total)}\n`);
  }
}

const describe = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

module.exports = SizeReporter;
