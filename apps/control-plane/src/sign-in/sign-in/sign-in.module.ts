import { Module } from '@nestjs/common';
import { PeopleDomain } from '../../people';
import { GuessingModule } from '../guessing/guessing.module';
import { PasswordsModule } from '../passwords/passwords.module';
import { SignInController } from './sign-in.controller';
import { SignInService } from './sign-in.service';

@Module({
  imports: [PeopleDomain, GuessingModule, PasswordsModule],
  controllers: [SignInController],
  providers: [SignInService],
})
export class SignInModule {}
