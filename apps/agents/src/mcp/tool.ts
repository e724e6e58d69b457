import type { Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import type { Tool as ToolDescription } from '@modelcontextprotocol/sdk/types.js';
import { z, type ZodObject } from 'zod';

/** What clients can call. */
export interface Tool {
  description: ToolDescription;
  /** @throws AppError with a sentence for the client. */
  call(principal: Principal, input: unknown): Promise<object>;
}

interface ToolParts<Input extends ZodObject> {
  name: string;
  title: string;
  description: string;
  input: Input;
  /** Whether nothing is different afterwards. */
  isReadOnly: boolean;
  run(principal: Principal, input: z.output<Input>): Promise<object>;
}

export function defineTool<Input extends ZodObject>({ input, isReadOnly, run, ...named }: ToolParts<Input>): Tool {
  return {
    description: {
      ...named,
      inputSchema: z.toJSONSchema(input, { io: 'input' }) as ToolDescription['inputSchema'],
      annotations: { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: false },
    },
    call: async (principal, given) => {
      const read = input.safeParse(given ?? {});
      if (read.success) return run(principal, read.data);
      throw new AppError('request.invalid', `The arguments do not fit: ${problemsIn(read.error)}`);
    },
  };
}

const problemsIn = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`).join('; ');

const id = () => z.int().positive();

/** Inputs that several tools have. */
export const inputs = {
  deploymentId: id().optional().describe('Deployment; the default of the account when absent.'),
  agentId: id().optional().describe('Agent; the default of the account, or else of the deployment, when absent.'),
  limit: z.int().min(1).max(1_000).optional().describe('Rows at most; 100 when absent.'),
};
