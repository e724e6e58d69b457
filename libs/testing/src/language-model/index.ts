export { startScriptedModel, type ModelRequest, type ScriptedModel } from './language-model';
export { SCRIPTED_USAGE, type ScriptedReply, type ScriptedToolCall } from './replies';
