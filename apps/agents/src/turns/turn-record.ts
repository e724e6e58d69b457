import type { ChatLine } from '../threads';
import type { Message } from './messages';

/** How far somebody has read a message. */
interface Place {
  version: number;
  length: number;
}

/**
 * What is said in a turn, for any number of readers. What grows is kept once: a slow reader gets fewer and longer pieces,
 * and holds up nobody.
 */
export class TurnRecord {
  private readonly messages: Message[] = [];
  private over = false;
  private change = newSignal();

  add(message: Message): Message {
    this.messages.push(message);
    this.changed();
    return message;
  }

  changed(): void {
    this.change.resolve();
    this.change = newSignal();
  }

  end(): void {
    this.over = true;
    this.changed();
  }

  /** Messages that are complete and follow the given number of them, as far as no other stands before them. */
  completeAfter(count: number): ChatLine[] {
    const open = this.messages.findIndex(({ line }) => line.isInProcess);
    return this.messages.slice(count, open === -1 ? undefined : open).map(({ line }) => line);
  }

  /** Every change from the beginning, as lines, until the turn is over. */
  async *read(): AsyncGenerator<ChatLine> {
    const places: Place[] = [];
    for (;;) {
      const { change, over } = { change: this.change.promise, over: this.over };
      yield* this.newsAfter(places);
      if (over) return;
      await change;
    }
  }

  /** All of one moment, so that a message is never complete for a reader before one that was complete earlier. */
  private newsAfter(places: Place[]): ChatLine[] {
    return this.messages.flatMap((message, index) => {
      const place = (places[index] ??= { version: 0, length: 0 });
      return newsOf(message, place) ?? [];
    });
  }
}

/** What the reader at the place has not seen of the message; moves the place. */
function newsOf({ line, grows, version }: Message, place: Place): ChatLine | undefined {
  if (version !== place.version) {
    place.version = version;
    return { ...line };
  }
  if (grows === 'nothing' || !line.isInProcess) return undefined;
  const text = line[grows] ?? '';
  if (text.length === place.length) return undefined;
  const piece = text.slice(place.length);
  place.length = text.length;
  return { ...line, [grows]: piece, isDelta: true };
}

interface Signal {
  promise: Promise<void>;
  resolve: () => void;
}

function newSignal(): Signal {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
