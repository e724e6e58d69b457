import { Module } from '@nestjs/common';
import { ContentModule } from '../content';
import { BrokenContent } from './broken-content.service';
import { ScannedContentRepository } from './scanned-content.repository';
import { ValidationController } from './validation.controller';
import { ValidationService } from './validation.service';

/** Says which content a data model breaks. */
@Module({
  imports: [ContentModule],
  controllers: [ValidationController],
  providers: [BrokenContent, ScannedContentRepository, ValidationService],
})
export class ValidationModule {}
