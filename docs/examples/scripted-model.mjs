// No language model: a server with their protocol (OpenAI's chat completions) that asks one query, whatever the question, and
// says what came back. It shows what an agent does with a real one. node scripted-model.mjs [PORT]
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const sqlQuery = 'SELECT products_category, MEASURE(revenue) AS revenue FROM sales GROUP BY 1 ORDER BY 2 DESC LIMIT 1';
const call = {
  index: 0,
  id: 'call-1',
  type: 'function',
  function: { name: 'cubeSqlApi', arguments: JSON.stringify({ sqlQuery, queryTitle: 'Best category' }) },
};

/** A query at first; once its result is there, a sentence with it. */
function answerTo({ messages }) {
  const last = messages.at(-1);
  if (last.role !== 'tool') return { delta: { role: 'assistant', tool_calls: [call] }, finish: 'tool_calls' };
  const [[category, revenue]] = JSON.parse(last.content).data;
  return { delta: { role: 'assistant', content: `${category} sold most: ${revenue}.` }, finish: 'stop' };
}

const server = createServer(async (request, response) => {
  const { delta, finish } = answerTo(await json(request));
  const chunk = (choice) =>
    `data: ${JSON.stringify({ id: 'scripted', object: 'chat.completion.chunk', choices: [choice] })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ index: 0, delta, finish_reason: null }));
  response.end(`${chunk({ index: 0, delta: {}, finish_reason: finish })}data: [DONE]\n\n`);
});
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${server.address().port}/v1`),
);
