import { randomUUID } from 'node:crypto';

/**
 * A message id that nobody else has. Who may have to hand a mail over again keeps it: a server, or whoever reads the mail,
 * knows by it that both are one.
 *
 * @param address of the sender, whose domain it is in
 */
export const newMessageId = (address: string): string =>
  `<${randomUUID()}@${address.slice(address.lastIndexOf('@') + 1)}>`;
