/** Why something has no place in the data model. */
export class Failure {
  constructor(readonly reason: string) {}
}
