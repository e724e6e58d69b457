export { startScriptedModel, type ModelRequest, type ScriptedModel } from './language-model';
export { type ScriptedReply, type ScriptedToolCall } from './replies';
