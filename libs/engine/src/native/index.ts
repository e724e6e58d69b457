export { installNative, type NativeModule } from './install-native';
