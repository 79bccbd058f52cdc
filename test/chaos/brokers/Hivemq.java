import com.hivemq.embedded.EmbeddedHiveMQ;
import java.nio.file.Path;

/** HiveMQ with the configuration and the data of a folder. Everybody may sign in. */
public class Hivemq {
    public static void main(String[] args) {
        Path folder = Path.of(args[0]);
        EmbeddedHiveMQ.builder()
            .withConfigurationFolder(folder.resolve("conf"))
            .withDataFolder(folder.resolve("data"))
            .build()
            .start()
            .join();
    }
}
