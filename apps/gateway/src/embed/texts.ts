/** What pages say themselves, in the languages that ship. */
const english = {
  skip: 'Skip to the content',
  asOf: 'As of',
  apply: 'Apply',
  reset: 'Reset',
  comments: 'Comments',
  noComments: 'No comments yet',
  newComment: 'New comment',
  reply: 'Reply',
  send: 'Send',
  edit: 'Edit',
  save: 'Save',
  remove: 'Delete',
  resolve: 'Resolve',
  removed: 'This comment was deleted',
  edited: 'edited',
  somebody: 'Somebody',
  older: 'There are older comments',
  commentWrong: 'The comment was not saved',
  shared: 'Shared with you',
  own: 'Your content',
  nothing: 'Nothing here yet',
  back: 'All content',
  ended: 'This session has ended.',
  endedHint: 'Open the page again in the application that it is part of.',
  missing: 'This dashboard is not there',
  missingHint: 'It may have been removed, or not be shared with you.',
  refused: 'This cannot be shown',
  wait: 'Please wait a minute',
  failed: 'Something went wrong on our side',
  request: 'Request',
};

export type Texts = typeof english;

const german: Texts = {
  skip: 'Zum Inhalt springen',
  asOf: 'Stand:',
  apply: 'Anwenden',
  reset: 'Zurücksetzen',
  comments: 'Kommentare',
  noComments: 'Noch keine Kommentare',
  newComment: 'Neuer Kommentar',
  reply: 'Antworten',
  send: 'Senden',
  edit: 'Bearbeiten',
  save: 'Speichern',
  remove: 'Löschen',
  resolve: 'Erledigt',
  removed: 'Dieser Kommentar wurde gelöscht',
  edited: 'bearbeitet',
  somebody: 'Jemand',
  older: 'Es gibt ältere Kommentare',
  commentWrong: 'Der Kommentar wurde nicht gespeichert',
  shared: 'Mit Ihnen geteilt',
  own: 'Ihre Inhalte',
  nothing: 'Hier ist noch nichts',
  back: 'Alle Inhalte',
  ended: 'Diese Sitzung ist beendet.',
  endedHint: 'Öffnen Sie die Seite noch einmal in der Anwendung, zu der sie gehört.',
  missing: 'Dieses Dashboard gibt es nicht',
  missingHint: 'Es wurde vielleicht entfernt oder ist nicht mit Ihnen geteilt.',
  refused: 'Das kann nicht gezeigt werden',
  wait: 'Bitte warten Sie eine Minute',
  failed: 'Bei uns ist etwas schiefgegangen',
  request: 'Anfrage',
};

const shipped: Readonly<Record<string, Texts>> = { en: english, de: german };

/** The language that ships and fits to a tag best, and what pages say in it. */
export function textsFor(locale: string): { language: string; texts: Texts } {
  const language = locale.split('-')[0]?.toLowerCase() ?? '';
  const texts = shipped[language];
  return texts ? { language, texts } : { language: 'en', texts: english };
}
