import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, SANDBOXES, type Sandboxes } from '@plinth/host';
import { Sandbox } from '@plinth/sandbox';
import type { BuildWorkerConfig } from '../build-worker.config';
import { DataModelsModule } from '../data-models';
import { ProvisioningModule } from '../provisioning';
import { findChildEntry } from './compiler/child-entry';
import { CompileCache } from './compiler/compile-cache';
import { ModelCompiler } from './compiler/model-compiler';
import { CompileResultsRepository } from './validation/compile-results.repository';
import { DataModelCompiler } from './validation/data-model-compiler';
import { ModelMembersController } from './validation/model-members.controller';
import { ModelMembersService } from './validation/model-members.service';
import { SharedCompileResults } from './validation/shared-compile-results';
import { ValidationController } from './validation/validation.controller';
import { ValidationService } from './validation/validation.service';

const sandbox = {
  provide: Sandbox,
  inject: [CONFIG, SANDBOXES],
  useFactory: (config: BuildWorkerConfig, sandboxes: Sandboxes) =>
    sandboxes.open(config, { readable: findChildEntry().readable, secrets: [config.storageRoot] }),
};

const compiler = {
  provide: ModelCompiler,
  inject: [Sandbox, CONFIG],
  useFactory: (walls: Sandbox, config: BuildWorkerConfig) => {
    const { compilerPoolSize: poolSize, compilerSpares: spares } = config;
    const { compilerTimeoutMs: timeoutMs, compilerMemoryMb: memoryMb } = config;
    return new ModelCompiler(walls, { poolSize, spares, timeoutMs, memoryMb });
  },
};

/** Compiles data models behind a wall, and says what is wrong with them. */
@Module({
  imports: [DataModelsModule, ProvisioningModule],
  controllers: [ModelMembersController, ValidationController],
  providers: [
    sandbox,
    compiler,
    { provide: CompileCache, useFactory: () => new CompileCache() },
    CompileResultsRepository,
    DataModelCompiler,
    SharedCompileResults,
    ModelMembersService,
    ValidationService,
  ],
  exports: [sandbox, DataModelCompiler, ModelMembersService],
})
export class CompilationModule implements OnApplicationShutdown {
  constructor(private readonly compiler: ModelCompiler) {}

  onApplicationShutdown(): Promise<void> {
    return this.compiler.close();
  }
}
