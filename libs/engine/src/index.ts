export * from './protocol';
export { installNative, type NativeModule } from './native';
