import { Module } from '@nestjs/common';
import { GuessingModule } from './guessing/guessing.module';
import { OAuthModule } from './oauth/oauth.module';
import { PasswordsModule } from './passwords/passwords.module';
import { SessionsModule } from './sessions/sessions.module';
import { SignInModule } from './sign-in/sign-in.module';

const features = [GuessingModule, OAuthModule, PasswordsModule, SignInModule, SessionsModule];

@Module({ imports: features, exports: features })
export class SignInDomain {}
