// (c) Validation of a model of 10, 100 and 500 cubes: first time, unchanged, and with one file changed.
import { createDeployment, openDevBranch, send } from './client.mjs';
import { startPlatform, startPostgres, temporaryFolder } from './processes.mjs';

const cube = (index) => ({
  path: `model/cubes/cube${index}.yml`,
  content: `cubes:
  - name: cube${index}
    sql_table: public.table${index}
    joins:
      - name: cube${Math.max(index - 1, 0)}
        sql: "{CUBE}.parent_id = {cube${Math.max(index - 1, 0)}}.id"
        relationship: many_to_one
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: status, sql: status, type: string }
      - { name: created_at, sql: created_at, type: time }
    measures:
      - { name: count, type: count }
      - { name: total, sql: amount, type: sum }
`,
});
const first = { ...cube(0), content: cube(0).content.replace(/    joins:[\s\S]*?many_to_one\n/, '') };

const timed = async (work) => {
  const start = performance.now();
  const verdict = await work();
  if (!verdict.valid) throw new Error(JSON.stringify(verdict.errors.slice(0, 3)));
  return performance.now() - start;
};

export async function benchValidations() {
  const url = await startPlatform(await startPostgres(), temporaryFolder('storage'));
  const rows = [];
  for (const count of [10, 100, 500]) {
    const { id } = await createDeployment(url);
    await openDevBranch(url, id);
    const path = `/build/api/v1/deployments/${id}/data-model`;
    await send(url, 'PUT', `${path}/files`, {
      files: [first, ...Array.from({ length: count - 1 }, (_value, index) => cube(index + 1))],
    });
    const validate = () => send(url, 'GET', `${path}/validate?devMode=true`);
    const cold = await timed(validate);
    const unchanged = await timed(validate);
    await send(url, 'PUT', `${path}/files`, { files: [{ ...first, content: `${first.content}# changed\n` }] });
    const changed = await timed(validate);
    rows.push({
      cubes: count,
      'cold ms': Math.round(cold),
      'unchanged ms': unchanged.toFixed(1),
      'unchanged of cold': (unchanged / cold).toFixed(3),
      'one file changed ms': Math.round(changed),
    });
  }
  return rows;
}
