export { CompilationModule } from './compilation.module';
export { CompilerUnavailable } from './compiler/compiler-crash';
export { DataModelCompiler } from './validation/data-model-compiler';
export { errorTextOf } from './validation/model-errors';
