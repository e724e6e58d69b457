export { CompilationModule } from './compilation.module';
export { CompilerUnavailable } from './compiler/compiler-crash';
export { trustOf } from './compiler/code-owner';
export type { ModelFile, Transpiled } from './compiler/compile-result';
export { selectModelFiles } from './compiler/model-files';
export { DataModelCompiler, readModelFiles } from './validation/data-model-compiler';
export { ModelMembersService } from './validation/model-members.service';
export { errorTextOf } from './validation/model-errors';
