/** A reply as a document describes it. */
export interface DescribedReply {
  description?: string;
  content?: Readonly<Record<string, { schema: object; example?: unknown }>>;
}

type Replies = Readonly<Record<string, DescribedReply>>;

/** What this many operations say in the same words is said once, in the list. */
const generalFrom = 10;

const isError = (status: string): boolean => Number(status) >= 400;

/** Errors that many operations share, which are described in one place instead of at each of them. */
export class ErrorList {
  private readonly uses = new Map<string, number>();

  constructor(everyReplies: readonly Replies[]) {
    for (const [status, { description }] of everyReplies.flatMap((replies) => Object.entries(replies))) {
      if (!isError(status)) continue;
      const key = keyOf(status, description);
      this.uses.set(key, (this.uses.get(key) ?? 0) + 1);
    }
  }

  /** In Markdown: status, meaning. */
  text(): string {
    const shared = [...this.uses].filter(([, uses]) => uses >= generalFrom).map(([key]) => key.split('\n', 2));
    shared.sort(([left = ''], [right = '']) => left.localeCompare(right));
    return shared.map(([status, meaning]) => `- **${status}** ${meaning}`).join('\n');
  }

  /** The replies of an operation, those errors folded into one that names their statuses. */
  folded(replies: Replies): Record<string, DescribedReply> {
    const entries = Object.entries(replies);
    const isGeneral = ([status, { description }]: [string, DescribedReply]): boolean =>
      isError(status) && (this.uses.get(keyOf(status, description)) ?? 0) >= generalFrom;
    const general = entries.filter(isGeneral);
    const kept = Object.fromEntries(entries.filter((entry) => !isGeneral(entry)));
    const content = general.find(([, reply]) => reply.content)?.[1].content;
    if (general.length === 0) return kept;
    const description = `Errors: ${general.map(([status]) => status).join(', ')}. The introduction says what they mean.`;
    return { ...kept, default: { description, ...(content && { content }) } };
  }
}

const keyOf = (status: string, description = ''): string => `${status}\n${description.replace(/\s+/g, ' ')}`;
