import type { Schemas } from '@plinth/contract';
import { parseDocument } from 'yaml';

/** Something that the data model teaches agents. */
export interface Skill {
  /** Name of the file without its ending: no two skills share it. */
  file: string;
  name: string;
  title: string | null;
  description: string | null;
  /** What agents are told; empty where there is a problem. */
  text: string;
  problem: string | null;
}

type SkillFile = Schemas['AgentSkillFile'];

const lengths = { name: 255, title: 255, description: 2_000 } as const;
/** Of all skills together, in characters: they are told before every question. */
export const MOST_TEXT = 40_000;

const unread = {
  too_large: 'The file is larger than 32 KiB',
  too_many: 'There are more than 100 skills',
  not_text: 'The file is no text in UTF-8',
} as const;

class Problem extends Error {}

/** Skills in the order of their files; one that cannot be used says why, and takes nothing from the others. */
export function skillsOf(files: readonly SkillFile[]): Skill[] {
  const names = new Set<string>();
  let room = MOST_TEXT;
  return files.map((file) => {
    const skill = skillOf(file);
    if (skill.problem !== null) return skill;
    if (names.has(skill.name)) return withProblem(skill, 'Another skill has this name');
    room -= skill.text.length;
    if (room < 0) {
      room += skill.text.length;
      return withProblem(skill, `Skills have more than ${MOST_TEXT} characters together`);
    }
    names.add(skill.name);
    return skill;
  });
}

const withProblem = (skill: Skill, problem: string): Skill => ({ ...skill, text: '', problem });

function skillOf({ name: file, content, problem }: SkillFile): Skill {
  const bare: Skill = { file, name: file, title: null, description: null, text: '', problem: null };
  if (content === null) return withProblem(bare, unread[problem ?? 'not_text']);
  try {
    const { head, text } = partsOf(content);
    const skill = { ...bare, ...fieldsOf(head), text };
    return text === '' ? withProblem(skill, 'There is no text') : skill;
  } catch (error) {
    if (error instanceof Problem) return withProblem(bare, error.message);
    throw error;
  }
}

/** The front matter, which may be missing, and what follows it. */
function partsOf(content: string): { head: string; text: string } {
  const lines = content.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines[0]?.trimEnd() !== '---') return { head: '', text: lines.join('\n').trim() };
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end === -1) throw new Problem('The front matter does not end');
  return {
    head: lines.slice(1, end).join('\n'),
    text: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}

function fieldsOf(head: string): Partial<Pick<Skill, 'name' | 'title' | 'description'>> {
  const found = mappingOf(head);
  const fields = Object.entries(lengths).map(([field, mostCharacters]) => {
    const value = found[field];
    if (value === undefined || value === null) return [];
    if (typeof value !== 'string' || value.trim() === '') throw new Problem(`In the front matter, ${field} is no text`);
    if (value.length > mostCharacters) {
      throw new Problem(`In the front matter, ${field} has more than ${mostCharacters} characters`);
    }
    return [[field, value.trim()]];
  });
  return Object.fromEntries(fields.flat()) as ReturnType<typeof fieldsOf>;
}

function mappingOf(head: string): Record<string, unknown> {
  const document = parseDocument(head, { logLevel: 'silent', prettyErrors: false });
  const [error] = document.errors;
  if (error) throw new Problem(`The front matter is no YAML: ${error.message}`);
  const value: unknown = withoutAliases(() => document.toJS({ maxAliasCount: 0 }));
  if (value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Problem('The front matter is no list of names and values');
}

function withoutAliases(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof ReferenceError) throw new Problem('The front matter must have no aliases');
    throw error;
  }
}
