export const HIDDEN = '[HIDDEN]';

/** Credentials that a text gives away by their form: keys of the API, JSON Web Tokens, private keys, passwords in URLs. */
const TELLING_FORM =
  /\bsk-[0-9A-Za-z]{32,}|\beyJ[\w-]+\.[\w-]+\.[\w-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*|(?<=:\/\/[^\s/:@]{0,256}:)[^\s/@]{1,256}(?=@)/g;
/** A credential is known by its form only as a whole: so many characters beyond the cut are looked at. */
const BEYOND = 4_096;

/** The first `limit` characters without the credentials in them. The search is bounded. */
export const withoutCredentials = (text: string, limit: number): string =>
  text
    .slice(0, limit + BEYOND)
    .replace(TELLING_FORM, HIDDEN)
    .slice(0, limit);
