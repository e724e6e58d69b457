import { mailSettings } from '@plinth/mail';
import { guessingSettings } from './guessing/guessing.config';
import { oauthSettings } from './oauth/oauth.config';
import { passwordSettings } from './passwords/passwords.config';

/** Settings of how people come to their accounts. */
export const signInSettings = { ...passwordSettings, ...guessingSettings, ...oauthSettings, ...mailSettings };
